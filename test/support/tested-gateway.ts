import { slowDatabase, slowMoney } from './slow-time.ts'

/*
 * The entry of the gateway that tests start as a process of its own (tools/testing/ensure-gateway-built.mjs): the
 * product's own entry, with longer waits for the database on a slow or busy machine, and for money where a test asks for
 * them.
 */
slowDatabase(Number(process.env['TEST_SLOWNESS'] ?? 1))
slowMoney(Number(process.env['TEST_SLOW_MONEY'] ?? 1))
await import('../../src/main.ts')
