import { CommandProblem } from '../app/command-problem.ts'
import type { AccountMember } from '../console-api/contract.ts'
import { type GatewayClient, rewordRefusal } from './gateway/gateway-client.ts'
import { noAccount } from './not-found.ts'

export async function membersOf(
  gateway: GatewayClient,
  id: string,
): Promise<readonly AccountMember[]> {
  const explain = rewordRefusal({ not_found: noAccount(id) })
  return (await gateway.call('GET /accounts/{id}', { id }).catch(explain)).members
}

/** The id of the user with this email. */
export async function userIdOf(
  gateway: GatewayClient,
  accountId: string,
  email: string,
): Promise<string> {
  const known = (await membersOf(gateway, accountId)).find((each) => each.email === email)
  if (known) return known.userId
  const see = `see "tollgate members list ${accountId}"`
  throw new CommandProblem(`The account "${accountId}" has no member "${email}"; ${see}.`)
}
