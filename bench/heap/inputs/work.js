// Threads, buffers, compression and many objects; prints what must come out.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { createHash } = require('crypto');
const { gzipSync, gunzipSync } = require('zlib');

function work(seed) {
  const words = [];
  for (let i = 0; i < 20000; i++) words.push({ key: `${(i * seed) % 7919}`, value: [i, `${i}`] });
  words.sort((a, b) => a.key.localeCompare(b.key) || a.value[0] - b.value[0]);
  const text = JSON.stringify(words);
  const back = gunzipSync(gzipSync(Buffer.from(text))).toString();
  if (back !== text) throw new Error('lost in compression');
  return createHash('sha256').update(back).digest('hex');
}

if (isMainThread) {
  const results = {};
  for (let seed = 1; seed <= 4; seed++) {
    const worker = new Worker(__filename, { workerData: seed });
    worker.on('message', (sum) => { results[seed] = sum; });
    worker.on('error', (error) => { throw error; });
    worker.on('exit', () => {
      if (Object.keys(results).length === 4) console.log(JSON.stringify(results));
    });
  }
} else {
  parentPort.postMessage(work(workerData));
}
