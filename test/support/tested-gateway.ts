/*
 * The entry of the gateway that tests start as a process of its own (tools/testing/ensure-gateway-built.mjs): the
 * product's own entry, with longer waits where a test asks for them.
 */
if (process.env['TEST_SLOW_TIME'] !== undefined) await import('./slow-time.ts')
await import('../../src/main.ts')
