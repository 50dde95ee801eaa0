import { expect, test } from 'bun:test'
import { warnUnboundCredentials } from '../../../src/app/upstreams/warn-unbound-credentials.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { buildCatalog } from '../routing/build-catalog.ts'

test('a moved upstream is reported once, and again after another move', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', nowMs: () => 0, write: (line) => void lines.push(line) })
  const warn = warnUnboundCredentials(log)
  const look = (needsCredential: boolean, isEnabled = true) =>
    warn(buildCatalog({ routes: [{ upstream: 'one', own: { needsCredential, isEnabled } }] }))
  look(false)
  expect(lines).toEqual([])
  look(true)
  look(true)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"upstream_needs_credential"')
  expect(lines[0]).toContain('"one"')
  look(false)
  look(true, false)
  look(true)
  expect(lines).toHaveLength(2)
})
