import { CommandProblem } from '../app/command-problem.ts'
import type { UserRow } from '../console-api/contract.ts'
import { idKind, knownEmailKind } from '../fields/kinds.ts'
import type { CommandCall } from './command.ts'
import { type GatewayClient, rewordRefusal } from './gateway/gateway-client.ts'
import { pagesOf } from './gateway/pages-of.ts'
import { withGateway } from './gateway/with-gateway.ts'
import { readTyped } from './read-typed.ts'

export async function* usersOf(gateway: GatewayClient, search?: string): AsyncGenerator<UserRow> {
  const read = (after: string | undefined) =>
    gateway.call('GET /operate/users', { query: { search, after } })
  for await (const { users } of pagesOf(read)) yield* users
}

/** All users with this email address: at most one verified user, who comes first, and users whom owners invited. */
export async function usersWithEmail(gateway: GatewayClient, email: string): Promise<UserRow[]> {
  const found: UserRow[] = []
  for await (const user of usersOf(gateway, email)) {
    if (user.email !== email) continue
    if (user.proof === null) found.push(user)
    else found.unshift(user)
  }
  return found
}

/** Runs a command on the user whose email address or id is the first argument. */
export function withUser<Value>(
  call: CommandCall,
  work: (gateway: GatewayClient, user: UserRow) => Promise<Value>,
): Promise<Value> {
  const [typed = ''] = call.positionals
  if (!typed.includes('@')) {
    const id = readTyped('The user', idKind, typed)
    return withGateway(call, async (gateway) => {
      const explain = rewordRefusal({ not_found: noUser(id) })
      return work(gateway, await gateway.call('GET /operate/users/{id}', { id }).catch(explain))
    })
  }
  const email = readTyped('The email', knownEmailKind, typed)
  return withGateway(call, async (gateway) =>
    work(gateway, onlyOf(email, await usersWithEmail(gateway, email))),
  )
}

function onlyOf(email: string, [first, ...others]: readonly UserRow[]): UserRow {
  if (!first) throw new CommandProblem(noUser(email))
  if (first.proof !== null || others.length === 0) return first
  const ids = [first, ...others].map(({ id }) => id).join(', ')
  throw new CommandProblem(
    `Several accounts have invited "${email}"; name one of these users by its id: ${ids}.`,
  )
}

function noUser(typed: string): string {
  return `There is no user "${typed}"; see "tollgate users list".`
}
