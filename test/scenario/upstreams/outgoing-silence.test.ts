import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { patience } from '../../support/patience.ts'

/** An answer without streaming may take ten minutes until its first byte; the runtime's own timeout is five minutes. */
test(
  'an upstream may be silent for longer than the timeout of the runtime',
  async () => {
    const script = join(import.meta.dir, '../../support/outgoing/wait-in-silence.ts')
    const child = Bun.spawn([process.execPath, script], {
      env: { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
    })
    expect(await new Response(child.stdout).text()).toBe('given up, 200\n')
  },
  patience(60_000),
)
