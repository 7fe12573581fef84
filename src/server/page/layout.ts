import { ASSETS } from './assets.ts';
import { markup, type Html, type HtmlValue } from './html.ts';
import { VIEWS } from './views.ts';

/** A whole page. */
export interface PageParts {
  readonly title: string;
  /** The path of the view, for the navigation. */
  readonly path: string;
  readonly main: Html;
  /** The user, and the secret of the form that logs out; absent: nobody is known, and there is no navigation. */
  readonly who?: { readonly name: string; readonly logout?: string };
  /** What the browser follows: the path and query of this page, and the version of `main`. */
  readonly live?: { readonly at: string; readonly version: string };
  /** What was just done. */
  readonly note?: string;
}

/** The HTML of a page, with the landmarks that screen readers jump between. */
export function layout({ title, path, main, who, live, note }: PageParts): string {
  const scripts = live !== undefined && [
    markup`<script src="${ASSETS['idiomorph.js'].path}" defer></script>`,
    markup`<script src="${ASSETS['page.js'].path}" defer></script>`,
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · hooklet</title>
<link rel="icon" href="${ASSETS['icon.svg'].path}">
<link rel="stylesheet" href="${ASSETS['page.css'].path}">
${scripts}
</head>
<body${live !== undefined && markup` data-live="${live.at}" data-version="${live.version}"`}>
<a class="skip" href="#content">Skip to content</a>
<header><a class="name" href="/"><img src="${ASSETS['icon.svg'].path}" alt="" width="20" height="20">hooklet</a>${who !== undefined && navigation(path)}${who !== undefined && user(who)}</header>
<main id="content" class="box" tabindex="-1"><h1>${title}</h1>
${note !== undefined && markup`<p class="note" role="status">${note}</p>`}
<div id="main">${main}</div>
</main>
</body>
</html>
`.text;
}

function navigation(path: string): Html {
  const links = VIEWS.filter(({ isListed }) => isListed).map(
    (view) =>
      markup`<li><a href="${view.path}" ${view.path === path && markup` aria-current="page"`}>${view.title}</a></li>`,
  );
  return markup`<nav aria-label="Views"><ul>${links}</ul></nav>`;
}

function user({ name, logout }: NonNullable<PageParts['who']>): Html {
  return markup`<div class="who"><span id="live" role="status"></span><span>${name}</span>${logout !== undefined && markup`<form method="post" action="/logout"><input type="hidden" name="csrf" value="${logout}" /><button>Log out</button></form>`}</div>`;
}

/** The form for a token. */
export function loginForm(next: string, problem?: HtmlValue): Html {
  return markup`<form class="ask" method="post" action="/login">${problem !== undefined && markup`<p class="error" role="alert">${problem}</p>`}<p>
      Paste a token of a Kubernetes user or ServiceAccount, such as that of <code>kubectl create token NAME</code>. It
      is kept in the memory of hooklet alone, for at most 8 hours.
    </p><label>Token<textarea name="token" rows="5" required autocomplete="off" spellcheck="false"></textarea></label><input type="hidden" name="next" value="${next}" /><p><button class="do">Log in</button></p></form>`;
}

export interface Question {
  readonly words: string;
  /** What the answer must find unchanged. */
  readonly expected?: string;
  /** The first of what it is done to. */
  readonly touched?: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly back: string;
  readonly csrf: string;
  readonly problem?: string;
}

/** Asks whether to do what the words say. */
export function confirmForm({ words, expected, touched, fields, back, csrf, problem }: Question): Html {
  const list =
    touched !== undefined &&
    markup`<ul class="lines" aria-label="What is touched">${touched.map((one) => markup`<li>${one}</li>`)}</ul>`;
  const hidden = Object.entries({ ...fields, csrf, ...(expected !== undefined && { expected }) });
  return markup`<form class="ask" method="post" action="/act">${problem !== undefined && markup`<p class="error" role="alert">${problem}</p>`}<p class="lead">${words}?</p>${list}${hidden.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}" />`)}<p><button class="do">Yes</button><a href="${back}">No, go back</a></p></form>`;
}
