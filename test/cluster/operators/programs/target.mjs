// Stands for what is watched, and for an Alertmanager: has a metric, and shows the alerts that it got.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

let scrapes = 0;
const received = new Set();

createServer((request, response) => {
  if (request.url === '/metrics') {
    scrapes += 1;
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`# TYPE target_scrapes_total counter\ntarget_scrapes_total ${scrapes}\n`);
  } else if (request.method === 'POST' && request.url === '/api/v2/alerts') {
    text(request).then(
      (alerts) => {
        for (const { labels } of JSON.parse(alerts)) received.add(JSON.stringify(labels));
        response.end();
      },
      () => response.destroy(),
    );
  } else response.end(`[${[...received].join(',')}]`);
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));
