import { describe, expect, test } from 'bun:test'
import { tidy } from '../../../tools/tidy/tidy.ts'

type Row = readonly [path: string, source: string]

const allowed: readonly Row[] = [
  ['src/core/money.ts', "import { a } from './id.ts'"],
  ['src/core/address.ts', "import { isIP } from 'node:net'"],
  ['src/wire/sse.ts', "import type { Fault } from '../core/fault.ts'"],
  ['src/protocols/index.ts', "import { messages } from './messages/index.ts'"],
  ['src/protocols/messages/usage.ts', "import type { Protocol } from '../protocol.ts'"],
  ['src/protocols/messages/usage.ts', "import { finish } from './faults.ts'"],
  ['src/vendors/openai/index.ts', "import { chat } from '../../protocols/index.ts'"],
  ['src/keys/find.ts', "import type { Engine } from '../store/engine.ts'"],
  ['src/config.ts', "import { z } from 'zod'"],
  ['src/config.ts', "import { settings } from './config/settings.ts'"],
  ['src/gateway/plan.ts', "import { choose } from '../routing/choose.ts'"],
  ['src/http-in/listen.ts', "import { forward } from '../gateway/forward.ts'"],
  ['src/demo/upstream/answer.ts', "import { encode } from '../../wire/sse.ts'"],
  ['src/demo/month/fill.ts', "import { grantCredit } from '../../ledger/credits.ts'"],
  ['src/provision/start.ts', "import { applyDemo } from '../demo/apply-demo.ts'"],
  ['src/console-api/contract.ts', "export type * from './contract/keys.ts'"],
  ['src/cli/serve.ts', "import { openStore } from '../store/open-store.ts'"],
  ['src/main.ts', "import { demo } from './demo/demo.ts'"],
  ['console/src/app.tsx', "import { contract } from '../../src/console-api/contract.ts'"],
  ['console/src/app.tsx', "import { createRoot } from 'react-dom/client'"],
  ['test/unit/a.test.ts', "import { a } from '../../src/store/engine.ts'"],
]

const refused: readonly Row[] = [
  ['src/core/money.ts', "import { a } from '../wire/sse.ts'"],
  ['src/core/money.ts', "import { z } from 'zod'"],
  ['src/core/address.ts', "import { connect } from 'node:net'"],
  ['src/core/address.ts', "import * as net from 'node:net'"],
  ['src/wire/read.ts', "import { readFile } from 'node:fs/promises'"],
  ['src/routing/choose.ts', "import { Worker } from 'node:worker_threads'"],
  ['src/protocols/messages/usage.ts', "import { chat } from '../chat-completions/index.ts'"],
  ['src/protocols/protocol.ts', "import { chat } from './chat-completions/index.ts'"],
  ['src/vendors/openai/index.ts', "import { google } from '../google/index.ts'"],
  ['src/keys/find.ts', "import { credit } from '../accounts/credit.ts'"],
  ['src/keys/find.ts', "import type { Credit } from '../accounts/credit.ts'"],
  ['src/keys/find.ts', "export { credit } from '../accounts/credit.ts'"],
  ['src/keys/find.ts', "export * from '../accounts/credit.ts'"],
  ['src/keys/find.ts', "export const a = await import('../accounts/credit.ts')"],
  ['src/keys/find.ts', "export type A = import('../accounts/credit.ts').Credit"],
  ['src/keys/find.ts', "new Worker(new URL('../usage/worker.ts', import.meta.url))"],
  ['src/gateway/plan.ts', "import { engine } from '../store/engine.ts'"],
  ['src/gateway/plan.ts', "import { demo } from '../demo/demo.ts'"],
  ['src/demo/upstream/answer.ts', "import { encode } from '../../protocols/messages/index.ts'"],
  ['src/demo/upstream/answer.ts', "import { applyDemo } from '../apply-demo.ts'"],
  ['src/demo/apply-demo.ts', "import { putModels } from '../provision/put-models.ts'"],
  ['src/http-in/listen.ts', "import { demo } from '../demo/demo.ts'"],
  ['src/telemetry/log.ts', "import { forward } from '../gateway/forward.ts'"],
  ['src/config.ts', "import { kysely } from 'kysely'"],
  ['src/console-api/contract.ts', "import { parseJson } from '../wire/json.ts'"],
  ['src/console-api/contract.ts', "import { list } from './list.ts'"],
  ['src/http-in/listen.ts', "import { start } from '../../test/support/start.ts'"],
  ['src/somewhere/new.ts', 'export const a = 1'],
  ['src/loose.ts', 'export const a = 1'],
  ['console/src/app.tsx', "import { money } from '../../src/core/money.ts'"],
  ['console/src/app.tsx', "import { readFile } from 'node:fs'"],
]

describe('the import table', () => {
  test.each(allowed)('allows %s: %s', (path, source) => {
    expect(tidy(path, source)).toEqual([])
  })

  test.each(refused)('refuses %s: %s', (path, source) => {
    const findings = tidy(path, source)
    expect(findings.map(({ rule, line }) => ({ rule, line }))).toEqual([
      { rule: 'imports', line: 1 },
    ])
  })

  test('is not fooled by comments, strings and templates', () => {
    const source = [
      "// import { a } from '../accounts/credit.ts'",
      'export const text = "import { a } from \'../accounts/credit.ts\'"',
      "export const page = `import { a } from '../accounts/credit.ts'`",
    ].join('\n')
    expect(tidy('src/keys/find.ts', source)).toEqual([])
  })

  test('names both modules, the line and what to do', () => {
    const [finding] = tidy('src/keys/find.ts', "\n\nimport { a } from '../accounts/credit.ts'")
    expect(finding?.line).toBe(3)
    expect(finding?.message).toContain(
      'keys imports accounts, but may import only: core, wire, fields, store',
    )
    expect(finding?.message).toContain('Pass the value in')
  })
})
