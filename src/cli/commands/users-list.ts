import { consoleRoles, userDefinition } from '../../accounts/definition/user.ts'
import type { QueryOf } from '../../console-api/contract/operations/operations.ts'
import type { UserRow } from '../../console-api/contract.ts'
import { enumKind } from '../../fields/kind.ts'
import { flagKind, idKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { readOption } from '../read-typed.ts'
import { rowJson } from '../row-json.ts'
import { timeText } from '../time-text.ts'
import { writeList } from '../write-list.ts'

const roleKind = enumKind(consoleRoles)

export const usersList: Command = {
  name: 'users list',
  summary: 'List the users of the console.',
  example: '--account acme',
  positionals: [],
  options: {
    search: {
      kind: 'text',
      placeholder: 'TEXT',
      description: 'Only users whose email contains this text.',
    },
    role: {
      kind: 'text',
      placeholder: consoleRoles.join('|'),
      description: 'Only users with this role.',
    },
    suspended: {
      kind: 'text',
      placeholder: 'true|false',
      description: 'Only suspended users, or only the others.',
    },
    account: { kind: 'text', placeholder: 'ID', description: 'Only members of this account.' },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: (call) => {
    const isSuspended = readOption(call, 'suspended', flagKind)
    const query = {
      search: call.text('search'),
      role: readOption(call, 'role', roleKind),
      suspended: isSuspended === undefined ? undefined : isSuspended ? 'true' : 'false',
      account: readOption(call, 'account', idKind),
    } as const
    return withGateway(call, async (gateway) => {
      const form = { none: 'There are no such users.', heading, cellsOf, jsonOf }
      await writeList(call, userPages(gateway, query), form)
      return 0
    })
  },
}

async function* userPages(gateway: GatewayClient, query: QueryOf<'GET /operate/users'>) {
  const read = (after: string | undefined) =>
    gateway.call('GET /operate/users', { query: { ...query, after } })
  for await (const { users } of pagesOf(read)) yield users
}

const heading = ['ID', 'EMAIL', 'ROLE', 'ACCOUNTS', 'SECOND FACTOR', 'LAST SEEN', 'STATE']

function cellsOf(user: UserRow): string[] {
  const accounts = user.accounts.map(({ id, role }) => `${id}:${role}`)
  return [
    user.id,
    user.email,
    user.role,
    accounts.join(',') || '-',
    factorsOf(user).join(',') || '-',
    timeText(user.seenAt) ?? 'never',
    stateOf(user),
  ]
}

function factorsOf({ hasTotp, passkeys, isOpenIdOnly }: UserRow): string[] {
  if (isOpenIdOnly) return []
  return [...(hasTotp ? ['app'] : []), ...(passkeys > 0 ? ['passkey'] : [])]
}

function stateOf({ isSuspended, proof }: UserRow): string {
  if (isSuspended) return 'suspended'
  return proof === null ? 'invited, not verified' : 'active'
}

function jsonOf(user: UserRow) {
  return {
    id: user.id,
    ...rowJson(userDefinition, user),
    suspended: user.isSuspended,
    accounts: user.accounts.map(({ id, role, source }) => ({ id, role, source })),
    verifiedBy: user.proof,
    invitedTo: user.invitedTo,
    source: user.source,
    hasPassword: user.hasPassword,
    hasAuthenticatorApp: user.hasTotp,
    passkeys: user.passkeys,
    linkedToProvider: user.hasOpenId,
    onlyWithProvider: user.isOpenIdOnly,
    created: timeText(user.createdAt),
    seen: timeText(user.seenAt),
  }
}
