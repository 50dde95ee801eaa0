import { expect, test } from 'bun:test'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { terminals } from '../../unit/cli/run-line.ts'

const openTerminal = terminals()

test.each(['nosuchuser', 'postgres'])(
  'a Postgres that refuses the user or the database: %s',
  async (user) => {
    const server = postgresServerUrl('errors of a Postgres server')
    if (server === undefined) return
    const url = new URL(server)
    url.username = user
    url.password = 'hidden'
    url.pathname = '/nosuchdatabase'
    const { code, err } = await openTerminal().run(`accounts list --database ${url.href}`)
    expect([code, err]).toEqual([1, expect.stringMatching(/rejects the user|has no such database/)])
    expect(err).not.toContain('hidden')
  },
)
