import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CliContext } from '../../../src/cli/command.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { shopConfig } from '../../support/process/shop.ts'
import { startTollgate, type TollgateProcess } from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'
import { type ScriptedReply, terminalIn } from '../../unit/cli/run-line.ts'

/** A running gateway, tokens for it, and a terminal in an unrelated folder. */
export interface RemoteFixture {
  readonly workspace: Workspace
  readonly away: Workspace
  readonly gateway: TollgateProcess
  /** By name: all, read, keys, acme (for that account only), gone (revoked). */
  readonly tokens: ReadonlyMap<string, string>
  /** `token` is the name of a token, or its value; empty for none. */
  run(line: string, token?: string, changes?: Partial<CliContext>): Promise<ScriptedReply>
  /** Everything that was printed so far. */
  printed(): string
  /** Starts a server that answers like this; returns its URL. */
  listen(answer: Answer): Promise<string>
  readLedger(): Promise<LedgerState>
  close(): void
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

interface LedgerState {
  readonly changes: number
  readonly credits: readonly { readonly external_id: string; readonly reason: string }[]
}

const wanted: readonly [name: string, options: string][] = [
  ['all', '--scope all'],
  ['read', '--scope read'],
  ['keys', '--scope keys'],
  ['acme', '--scope all --account acme'],
  ['gone', '--scope all'],
]

export async function openRemoteFixture(): Promise<RemoteFixture> {
  const workspace = makeWorkspace(shopConfig('http://127.0.0.1:1'))
  const away = makeWorkspace()
  const gateway = await startTollgate(workspace)
  const tokens = new Map<string, string>()
  const servers: { close(): void }[] = []
  let printed = ''
  const here = terminalIn(workspace.folder)
  for (const [name, options] of wanted) {
    const made = await here.run(`tokens create --name ${name} ${options}`)
    const [, id = '', value = ''] = /^id +(\S+)\nvalue +(\S+)\n$/.exec(made.out) ?? []
    tokens.set(name, value)
    if (name === 'gone') await here.run(`tokens revoke ${id}`)
  }
  return {
    workspace,
    away,
    gateway,
    tokens,
    run: async (line, token = 'all', changes = {}) => {
      const value = tokens.get(token) ?? token
      const env = value === '' ? {} : { TOLLGATE_TOKEN: value }
      const said = await terminalIn(away.folder).run(line, { env, ...changes })
      printed += said.out + said.err
      return said
    },
    printed: () => printed,
    listen: async (answer) => {
      const server = createServer((request, response) => {
        Promise.resolve(answer(request, response)).catch(() => request.socket.destroy())
      })
      servers.push(server)
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    readLedger: () => readLedger(workspace),
    close: () => {
      for (const server of servers) server.close()
    },
  }
}

async function readLedger(workspace: Workspace): Promise<LedgerState> {
  const engine = await openStore(`sqlite://${workspace.path('data/tollgate.db')}`)
  try {
    const audit = await engine.db.selectFrom('audit').select('seq').execute()
    const credits = await engine.db.selectFrom('credit').select(['external_id', 'reason']).execute()
    return { changes: audit.length, credits }
  } finally {
    await engine.close()
  }
}
