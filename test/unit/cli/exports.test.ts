import { expect, test } from 'bun:test'
import { terminals } from './run-line.ts'

const open = terminals({ hasDatabase: true })

test('audit-log export prints who changed what, newest first, with filters', async () => {
  const { run } = open()
  for (const line of ['accounts create acme', 'accounts suspend acme', 'accounts create beta'])
    expect(await run(line)).toMatchObject({ code: 0 })
  const actionsOf = async (flags: string) => {
    const { out } = await run(`audit-log export --format ndjson${flags}`)
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ action, subject, actor }) => [action, subject, actor])
  }
  expect(await actionsOf(' --action account.')).toEqual([
    ['account.created', 'beta', 'cli'],
    ['account.suspended', 'acme', 'cli'],
    ['account.created', 'acme', 'cli'],
  ])
  expect(await actionsOf(' --subject acme --action account.suspended')).toEqual([
    ['account.suspended', 'acme', 'cli'],
  ])
})
