import { afterAll } from 'bun:test'
import fc from 'fast-check'
import { endAll } from './at-end.ts'
import { patience } from './patience.ts'
import { slowDatabase } from './slow-time.ts'

/* Loaded by the test runner before the first test of every process. */

/** Random tests use the same seed in every run of `npm test`; `npm run test:long` uses another seed each round. */
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) })

slowDatabase(patience(1))

/**
 * Passwords are hashed with the usual function at its lowest cost: spending a tenth of a second for each sign-in proves
 * nothing. A hash contains its cost, so hashes of either cost verify.
 */
const hash = Bun.password.hash
Bun.password.hash = (password) =>
  hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

/** After the last test of all files. */
afterAll(endAll)
