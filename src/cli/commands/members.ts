import {
  memberDefinition,
  memberLimitsDefinition,
  newMemberDefinition,
} from '../../accounts/definition/member.ts'
import { CommandProblem } from '../../app/command-problem.ts'
import type { AccountMember } from '../../console-api/contract.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import { emailKind, idKind, knownEmailKind } from '../../fields/kinds.ts'
import { budgetCell, budgetJson } from '../budget-text.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLast } from '../confirm-last.ts'
import { readChanges, readSome, someOptions } from '../defined-options.ts'
import { type GatewayClient, rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { limitCell } from '../limit-text.ts'
import { noAccount } from '../not-found.ts'
import { reachableUrl } from '../reachable-url.ts'
import { readTyped } from '../read-typed.ts'
import { rowJson } from '../row-json.ts'
import { welcomeLines } from '../welcome-lines.ts'
import { writeList } from '../write-list.ts'

export const membersList: Command = {
  name: 'members list',
  summary: 'List the members of an account with their budgets and rate limits.',
  example: 'acme',
  positionals: ['ACCOUNT'],
  options: { json: { kind: 'switch', description: 'Print JSON.' } },
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
          ...rowJson(memberDefinition, member),
          budgets: member.budgets.map(budgetJson),
        }),
      })
      return 0
    }),
}

export const membersLimit: Command = {
  name: 'members limit',
  summary:
    'Set budgets and rate limits of a member, for all keys of the member together; "none" removes one.',
  example: 'acme ann@example.com --monthly 20 --requests-per-minute 60',
  positionals: ['ACCOUNT', 'EMAIL'],
  options: someOptions(memberLimitsDefinition),
  run: (call) => {
    const accountId = accountOf(call)
    const email = readTyped('The email', knownEmailKind, call.positionals[1] ?? '')
    const limits = readChanges(memberLimitsDefinition, 'members limit', call)
    return withGateway(call, async (gateway) => {
      const member = await gateway.call('PATCH /accounts/{id}/members', {
        id: accountId,
        query: { user: await userIdOf(gateway, accountId, email) },
        body: newWireOf(memberLimitsDefinition, limits),
      })
      const whose = `of ${email} in ${accountId}`
      call.context.stdout(`budgets ${whose}: ${budgetCell(member.budgets)}\n`)
      call.context.stdout(`rate limits ${whose}: ${limitCell(member)}\n`)
      return 0
    })
  },
}

const newOptions = without(newMemberDefinition, ['email'])

export const membersAdd: Command = {
  name: 'members add',
  summary: 'Add a person to an account. A new person gets a link, which is shown once.',
  example: 'acme ann@example.com --role member',
  positionals: ['ACCOUNT', 'EMAIL'],
  options: someOptions(newOptions),
  run: (call) => {
    const accountId = accountOf(call)
    const email = readTyped('The email', emailKind, call.positionals[1] ?? '')
    const { role = 'member', ...limits } = readSome(newOptions, call)
    const given = { ...limits, email, role }
    const gatewayUrl = reachableUrl(call)
    return withGateway(call, async (gateway) => {
      const { member, signInUrl, invitationUrl, isMailed } = await gateway
        .call('POST /accounts/{id}/members', {
          id: accountId,
          body: newWireOf(newMemberDefinition, given),
          ifLost: `It is not known whether the person was added; see "tollgate members list ${accountId}".`,
        })
        .catch(rewordRefusal({ not_found: noAccount(accountId) }))
      call.context.stdout(`${email} is a member of ${accountId} with the role ${member.role}\n`)
      const made = signInUrl ?? invitationUrl
      call.context.stdout(welcomeLines({ gatewayUrl, made, isMailed }))
      return 0
    })
  },
}

export const membersRole: Command = {
  name: 'members role',
  summary: 'Change the role of a member: owner, member or viewer.',
  example: 'acme ann@example.com owner',
  positionals: ['ACCOUNT', 'EMAIL', 'ROLE'],
  options: { yes },
  run: (call) => {
    const accountId = accountOf(call)
    const email = readTyped('The email', knownEmailKind, call.positionals[1] ?? '')
    const { kind } = memberDefinition.fields.role
    const role = readTyped('The role', kind, call.positionals[2] ?? '')
    return withGateway(call, async (gateway) => {
      const user = await userIdOf(gateway, accountId, email)
      const body = { role }
      await confirmLast(call, (force) => {
        const query = { user, ...force }
        return gateway.call('PATCH /accounts/{id}/members', { id: accountId, query, body })
      })
      call.context.stdout(`${email} has the role ${role} in ${accountId}\n`)
      return 0
    })
  },
}

export const membersRemove: Command = {
  name: 'members remove',
  summary: 'Remove a person from an account. The keys of the person in this account stop at once.',
  example: 'acme ann@example.com',
  positionals: ['ACCOUNT', 'EMAIL'],
  options: { yes },
  run: async (call) => {
    const accountId = accountOf(call)
    const email = readTyped('The email', knownEmailKind, call.positionals[1] ?? '')
    await confirm(call, `This stops the keys of ${email} in ${accountId} for good`)
    return withGateway(call, async (gateway) => {
      const user = await userIdOf(gateway, accountId, email)
      await confirmLast(call, (force) => {
        const query = { user, ...force }
        return gateway.call('DELETE /accounts/{id}/members', { id: accountId, query })
      })
      call.context.stdout(`${email} is no longer a member of ${accountId}\n`)
      return 0
    })
  },
}

async function userIdOf(gateway: GatewayClient, accountId: string, email: string): Promise<string> {
  const known = (await membersOf(gateway, accountId)).find((each) => each.email === email)
  if (known) return known.userId
  const see = `see "tollgate members list ${accountId}"`
  throw new CommandProblem(`The account "${accountId}" has no member "${email}"; ${see}.`)
}

function accountOf({ positionals: [id = ''] }: CommandCall): string {
  return readTyped('The account', idKind, id)
}

async function membersOf(gateway: GatewayClient, id: string): Promise<readonly AccountMember[]> {
  const explain = rewordRefusal({ not_found: noAccount(id) })
  return (await gateway.call('GET /accounts/{id}', { id }).catch(explain)).members
}

async function* pages<Row>(rows: readonly Row[]) {
  yield rows
}
