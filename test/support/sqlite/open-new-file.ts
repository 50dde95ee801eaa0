import { openFile } from '../../../src/store/sqlite/open-file.ts'

/* A process that opens files one after the other, each at the same moment as other processes. */

const [, , beginMs = '', stepMs = '', ...paths] = process.argv
for (const [index, path] of paths.entries()) {
  const atMs = Number(beginMs) + index * Number(stepMs)
  while (Date.now() < atMs);
  openFile(path, false).close()
}
