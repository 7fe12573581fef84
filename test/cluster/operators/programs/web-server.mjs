// Stands for nginx: serves the files of a folder, and listens on 8080.
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

const [, , folder = '/usr/share/nginx/html'] = process.argv;

createServer((request, response) => {
  const path = normalize(new URL(request.url ?? '/', 'http://site').pathname);
  const file = createReadStream(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  file.on('open', () => file.pipe(response));
  file.on('error', () => response.writeHead(404).end());
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));
