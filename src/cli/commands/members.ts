import { memberLimitsDefinition } from '../../accounts/definition/member.ts'
import { CommandProblem } from '../../app/command-problem.ts'
import type { AccountMember } from '../../console-api/contract.ts'
import { newWireOf } from '../../fields/definition.ts'
import { emailKind, idKind } from '../../fields/kinds.ts'
import { budgetCell, budgetJson } from '../budget-text.ts'
import type { Command, CommandCall } from '../command.ts'
import { readSome, someOptions } from '../defined-options.ts'
import { type GatewayClient, saying } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { limitCell } from '../limit-text.ts'
import { noAccount } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'
import { UsageProblem } from '../usage-problem.ts'
import { writeList } from '../write-list.ts'

export const membersList: Command = {
  name: 'members list',
  summary: 'List the members of an account with their budgets and rate limits.',
  positionals: ['ACCOUNT'],
  options: { json: { kind: 'switch', description: 'As JSON.' } },
  run: (call) =>
    withGateway(call, async (gateway) => {
      const members = await membersOf(gateway, accountOf(call))
      await writeList(call, pages(members), {
        none: 'The account has no members.',
        heading: ['EMAIL', 'ROLE', 'BUDGETS US$', 'RATE LIMITS'],
        cellsOf: (member) => [
          member.email,
          member.role,
          budgetCell(member.budgets),
          limitCell(member),
        ],
        jsonOf: (member) => ({
          userId: member.userId,
          email: member.email,
          role: member.role,
          budgets: member.budgets.map(budgetJson),
          requestsPerMinute: member.requestsPerMinute,
          tokensPerMinute: member.tokensPerMinute,
          concurrentRequests: member.concurrentRequests,
        }),
      })
      return 0
    }),
}

export const membersLimit: Command = {
  name: 'members limit',
  summary:
    'Set budgets and rate limits of a member, for all keys of the member together; "none" removes one.',
  positionals: ['ACCOUNT', 'EMAIL'],
  options: someOptions(memberLimitsDefinition),
  run: (call) => {
    const accountId = accountOf(call)
    const email = readTyped('The email', emailKind, call.positionals[1] ?? '')
    const limits = readSome(memberLimitsDefinition, call)
    if (Object.keys(limits).length === 0)
      throw new UsageProblem('"tollgate members limit" needs at least one option; see --help.')
    return withGateway(call, async (gateway) => {
      const known = (await membersOf(gateway, accountId)).find((each) => each.email === email)
      if (!known) {
        const see = `see "tollgate members list ${accountId}"`
        throw new CommandProblem(`The account "${accountId}" has no member "${email}"; ${see}.`)
      }
      const member = await gateway.call('PATCH /accounts/{id}/members', {
        id: accountId,
        query: { user: known.userId },
        body: newWireOf(memberLimitsDefinition, limits),
      })
      const whose = `of ${email} in ${accountId}`
      call.context.stdout(`budgets ${whose}: ${budgetCell(member.budgets)}\n`)
      call.context.stdout(`rate limits ${whose}: ${limitCell(member)}\n`)
      return 0
    })
  },
}

function accountOf({ positionals: [id = ''] }: CommandCall): string {
  return readTyped('The account', idKind, id)
}

async function membersOf(gateway: GatewayClient, id: string): Promise<readonly AccountMember[]> {
  const explain = saying({ not_found: noAccount(id) })
  return (await gateway.call('GET /accounts/{id}', { id }).catch(explain)).members
}

async function* pages<Row>(rows: readonly Row[]) {
  yield rows
}
