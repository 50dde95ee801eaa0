import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { patience } from '../support/patience.ts'

/** A whole answer may take ten minutes before its first byte; the runtime's own patience ends after five. */
test(
  'an upstream may be silent for longer than the runtime has patience',
  async () => {
    const script = join(import.meta.dir, '../support/outgoing/wait-in-silence.ts')
    const child = Bun.spawn([process.execPath, script], {
      env: { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
    })
    expect(await new Response(child.stdout).text()).toBe('given up, 200\n')
  },
  patience(60_000),
)
