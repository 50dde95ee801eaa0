import { lockFile } from '../../../src/store/file-lock.ts'

/* Locks the file that it is told, says so, and waits until somebody ends it. */

const lock = lockFile(process.argv[2] ?? '', true)
process.stdout.write(lock ? 'locked\n' : 'not locked\n')
setInterval(() => lock, 60_000)
