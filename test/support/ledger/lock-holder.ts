import { lockFile } from '../../../src/store/engine/file-lock.ts'

/* Locks the given file, reports the lock, and waits to be killed. */

const lock = lockFile(process.argv[2] ?? '', true)
process.stdout.write(lock ? 'locked\n' : 'not locked\n')
setInterval(() => lock, 60_000)
