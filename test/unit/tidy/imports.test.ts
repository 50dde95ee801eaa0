import { describe, expect, test } from 'bun:test'
import { tidy, tidyProject } from '../../../tools/tidy/tidy.ts'

type Row = readonly [path: string, source: string]

const allowed: readonly Row[] = [
  ['src/core/money/money.ts', "import { a } from './id.ts'"],
  ['src/core/address.ts', "import { isIP } from 'node:net'"],
  ['src/wire/sse.ts', "import type { Fault } from '../core/fault.ts'"],
  ['src/protocols/index.ts', "import { messages } from './messages/index.ts'"],
  ['src/protocols/messages/faults.ts', "import type { Protocol } from '../protocol.ts'"],
  ['src/protocols/messages/values/usage.ts', "import type { Protocol } from '../../protocol.ts'"],
  ['src/protocols/messages/values/usage.ts', "import { fault } from '../faults.ts'"],
  ['src/protocols/messages/values/usage.ts', "import { sum } from '../../measure/sum.ts'"],
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
  ['src/console-api/contract/operations/a.ts', "import { id } from '../inputs.ts'"],
  ['src/console-api/contract/inputs.ts', "import { idProblem } from './rules.ts'"],
  ['src/console-api/http/a.ts', "import { stateProblemTexts } from '../contract/refusal-texts.ts'"],
  ['src/cli/serve.ts', "import { openStore } from '../store/open-store.ts'"],
  ['src/main.ts', "import { demo } from './demo/demo.ts'"],
  ['console/src/app.tsx', "import { contract } from '../../src/console-api/contract.ts'"],
  ['console/src/app.tsx', "import { createRoot } from 'react-dom/client'"],
  ['test/unit/a.test.ts', "import { a } from '../../src/store/engine.ts'"],
]

const refused: readonly Row[] = [
  ['src/core/money/money.ts', "import { a } from '../../wire/sse.ts'"],
  ['src/core/money/money.ts', "import { z } from 'zod'"],
  ['src/core/address.ts', "import { connect } from 'node:net'"],
  ['src/core/address.ts', "import * as net from 'node:net'"],
  ['src/wire/read.ts', "import { readFile } from 'node:fs/promises'"],
  ['src/routing/choose.ts', "import { Worker } from 'node:worker_threads'"],
  ['src/protocols/messages/faults.ts', "import { chat } from '../chat-completions/index.ts'"],
  ['src/protocols/messages/values/usage.ts', "import { a } from '../../responses/values/usage.ts'"],
  ['src/protocols/measure/sum.ts', "import { usage } from '../messages/values/usage.ts'"],
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
  ['src/console-api/contract/operations/a.ts', "import { refuse } from '../../refusal.ts'"],
  ['src/console-api/contract/operations/a.ts', "import { parseJson } from '../../../wire/json.ts'"],
  ['src/console-api/contract/rules.ts', "import { id } from './inputs.ts'"],
  ['src/console-api/contract/refusal-texts.ts', "import { z } from 'zod'"],
  ['src/http-in/listen.ts', "import { start } from '../../test/support/start.ts'"],
  ['src/somewhere/new.ts', 'export const a = 1'],
  ['src/loose.ts', 'export const a = 1'],
  ['console/src/app.tsx', "import { money } from '../../src/core/money/money.ts'"],
  ['console/src/app.tsx', "import { id } from '../../src/console-api/contract/inputs.ts'"],
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

describe('the path of an import', () => {
  const pathsIn = (files: Readonly<Record<string, string>>) =>
    tidyProject(Object.entries(files).map(([path, text]) => ({ path, text }))).flatMap(
      ({ rule, path, line, message }) => (rule === 'import-paths' ? [[path, line, message]] : []),
    )
  const others = { 'src/core/b.ts': '', 'src/core/c/index.ts': '', 'src/core/d.tsx': '' }

  test.each([
    ['without an extension', "import './b'", 'src/core/b.ts'],
    ['with the extension of a built file', "import type { B } from './b.js'", 'src/core/b.ts'],
    ['with another extension', "export * from './d.ts'", 'src/core/d.tsx'],
    ['of a folder', "export const c = await import('./c')", 'src/core/c/index.ts'],
  ])('%s is found', (_, source, meant) => {
    expect(pathsIn({ 'src/core/a.ts': `\n${source}`, ...others })).toEqual([
      ['src/core/a.ts', 2, expect.stringContaining(`Write the path of ${meant}`)],
    ])
  })

  test('is correct with the extension, for a package, and for a file that is not a source', () => {
    const source =
      "import './b.ts'\nimport 'zod'\nimport './d.tsx'\nimport './look.css'\nnew URL('./c/', import.meta.url)"
    expect(pathsIn({ 'src/core/a.ts': source, ...others })).toEqual([])
  })
})

describe('an import cycle', () => {
  const cyclesIn = (files: Readonly<Record<string, string>>) =>
    tidyProject(Object.entries(files).map(([path, text]) => ({ path, text }))).flatMap(
      ({ rule, path, line, message }) =>
        rule === 'import-cycles' ? [[path, line, message.split('. ')[0] ?? '']] : [],
    )

  test.each([
    ['of types', "import type { B } from './b.ts'", "import type { A } from './a.ts'"],
    ['of values', "import { b } from './b.ts'", "import { a } from './a.ts'"],
    ['of a value and a type', "import { b } from './b.ts'", "import type { A } from './a.ts'"],
    ['of a type named in place', "export type A = import('./b.ts').B", "export * from './a.ts'"],
  ])('%s is found', (_, one, other) => {
    expect(cyclesIn({ 'src/core/a.ts': one, 'src/core/b.ts': `\n${other}` })).toEqual([
      ['src/core/b.ts', 2, 'an import cycle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts'],
    ])
  })

  test('is found across folders, behind a file outside the cycle, and in the console', () => {
    const found = cyclesIn({
      'console/src/a.ts': "import './entry/b.ts'",
      'console/src/entry/b.ts': "import type { C } from '../c.ts'",
      'console/src/c.ts': "import type { B } from './entry/b.ts'",
    })
    expect(found.map(([path]) => path)).toEqual(['console/src/c.ts'])
  })

  test('is not: two ways to the same file, a package, a file that does not exist, a test', () => {
    const leaf = { 'src/core/c.ts': 'export interface C {}' }
    const ways = {
      'src/core/a.ts': "import './b.ts'\nimport './c.ts'\nimport 'zod'\nimport './gone.ts'",
      'src/core/b.ts': "import type { C } from './c.ts'",
    }
    expect(cyclesIn({ ...leaf, ...ways })).toEqual([])
    const tests = {
      'test/unit/a.ts': "import type { B } from './b.ts'",
      'test/unit/b.ts': "import type { A } from './a.ts'",
    }
    expect(cyclesIn(tests)).toEqual([])
  })
})
