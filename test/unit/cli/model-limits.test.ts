import { expect, test } from 'bun:test'
import { terminals } from './run-line.ts'

const newTerminal = terminals({ hasDatabase: true })

test('rate limits of a key per model are JSON', async () => {
  const terminal = newTerminal()
  await terminal.run('accounts create acme --credit 1')
  const limits = [{ model: 'gpt-x', requestsPerMinute: 6 }]
  const create = `keys create --account acme --name ci --model-limits ${JSON.stringify(limits)}`
  const { code, out } = await terminal.run(create)
  expect(code).toBe(0)
  const [, id = ''] = /^id +(\S+)$/m.exec(out) ?? []
  const stored = async () => {
    const keys: unknown = JSON.parse((await terminal.run('keys list --json')).out)
    return keys
  }
  expect(await stored()).toMatchObject([{ modelLimits: limits }])
  expect((await terminal.run(`keys update ${id} --model-limits []`)).code).toBe(0)
  expect(await stored()).toMatchObject([{ modelLimits: [] }])
})

test.each(['gpt-x', '{"model":"gpt-x"}', '[{"model":"gpt-x","requestsPerMinute":0}]', 'null'])(
  'rate limits per model: %s is refused',
  async (typed) => {
    const terminal = newTerminal()
    await terminal.run('accounts create acme --credit 1')
    const reply = await terminal.run(`keys create --account acme --name ci --model-limits ${typed}`)
    expect(reply.code).toBe(2)
    expect(reply.err).toContain('--model-limits must')
    expect((await terminal.run('keys list --json')).out).toBe('[]\n')
  },
)
