import { existsSync, writeFileSync } from 'node:fs'
import '../../../src/store/postgres/postgres-worker.ts'

/*
 * The thread of the Postgres engine under test control: the first thread dies with its first records and leaves a mark;
 * the next one finds the mark and works normally.
 */

declare const self: Worker

const mark = process.env['TEST_THREAD_MARK'] ?? ''

if (!existsSync(mark)) {
  self.onmessage = (event: MessageEvent<{ kind: string }>) => {
    if (event.data.kind !== 'records') return
    writeFileSync(mark, '')
    if (mark.endsWith('exit')) process.exit(1)
    setTimeout(() => {
      throw new Error('a mistake that nobody catches')
    }, 0)
  }
}
