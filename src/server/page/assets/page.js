// Everything works without it: it shows how long ago times are, and follows the changes of the page.
(() => {
  const { body } = document;
  const live = document.getElementById('live');
  const main = document.getElementById('main');
  let seen = body.dataset.version;
  let stream;
  let again;

  const say = (words) => {
    if (live && live.textContent !== words) live.textContent = words;
  };

  const age = (seconds) => {
    const past = Math.abs(seconds);
    if (past < 120) return `${Math.round(past)} s`;
    if (past < 7200) return `${Math.round(past / 60)} min`;
    return past < 172800 ? `${Math.round(past / 3600)} h` : `${Math.round(past / 86400)} d`;
  };

  const showAges = () => {
    for (const time of document.querySelectorAll('time')) {
      const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
      const words = seconds < -0.5 ? `in ${age(seconds)}` : `${age(Math.max(0, seconds))} ago`;
      if (time.textContent !== words) time.textContent = words;
    }
  };

  const isSame = (old, fresh) => old.tagName === 'TIME' && old.dateTime === fresh.dateTime;
  // What a person types, and ages, stay as they are.
  const beforeNodeMorphed = (old, fresh) => !(old.matches?.('form') || isSame(old, fresh));

  const show = ({ data, lastEventId }) => {
    seen = lastEventId;
    Idiomorph.morph(main, data, { morphStyle: 'innerHTML', ignoreActiveValue: true, callbacks: { beforeNodeMorphed } });
    showAges();
  };

  const stop = () => {
    clearTimeout(again);
    stream?.close();
    stream = undefined;
  };

  const follow = () => {
    stop();
    if (document.hidden || body.dataset.live === undefined) return;
    stream = new EventSource(`/events?at=${encodeURIComponent(body.dataset.live)}&seen=${seen}`);
    stream.addEventListener('open', () => say('live'));
    stream.addEventListener('main', show);
    stream.addEventListener('over', () => {
      stop();
      say('signed out: load the page again');
    });
    stream.addEventListener('error', () => {
      say('not connected');
      if (stream?.readyState !== EventSource.CLOSED) return;
      stop();
      again = setTimeout(follow, 15000);
    });
  };

  showAges();
  setInterval(() => document.hidden || showAges(), 1000);
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', stop);
  addEventListener('pageshow', (event) => event.persisted && follow());
  follow();
})();
