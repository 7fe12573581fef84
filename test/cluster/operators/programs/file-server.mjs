// Keeps what is put, and serves it: PUT and GET of the same path. A path that begins with /endless has no end.
import { createServer } from 'node:http';

const files = new Map();

createServer((request, response) => void answer(request, response)).listen(8080);
process.on('SIGTERM', () => process.exit(0));

async function answer(request, response) {
  const path = request.url ?? '/';
  if (request.method === 'PUT') {
    files.set(path, Buffer.concat(await request.toArray()));
    response.end();
  } else if (path.startsWith('/endless')) {
    response.write('the beginning');
  } else if (files.has(path)) {
    response.end(files.get(path));
  } else {
    response.writeHead(404).end();
  }
}
