import { memberDefinition, memberLimitsDefinition } from '../../accounts/definition/member.ts'
import { newWireOf } from '../../fields/definition.ts'
import { idKind, knownEmailKind } from '../../fields/kinds.ts'
import { budgetCell, budgetJson } from '../budget-text.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLast } from '../confirm-last.ts'
import { readChanges, someOptions } from '../defined-options.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { limitCell } from '../limit-text.ts'
import { membersOf, userIdOf } from '../members-of.ts'
import { readTyped } from '../read-typed.ts'
import { rowJson } from '../row-json.ts'
import { timeText } from '../time-text.ts'
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
      const nowMs = call.context.nowMs()
      await writeList(call, pages(members), {
        none: 'The account has no members.',
        heading: ['EMAIL', 'ROLE', 'BUDGETS US$', 'RATE LIMITS'],
        cellsOf: (member) => [
          member.email,
          roleCell(member, nowMs),
          budgetCell(member.budgets),
          limitCell(member),
        ],
        jsonOf: (member) => ({
          userId: member.userId,
          ...rowJson(memberDefinition, member),
          invitationEndsAt: timeText(member.invitationEndsAt),
          budgets: member.budgets.map(budgetJson),
        }),
      })
      return 0
    }),
}

/** The role, and whether the person still has to open the invitation. */
function roleCell(
  {
    role,
    invitationEndsAt: end,
  }: { readonly role: string; readonly invitationEndsAt: number | null },
  nowMs: number,
): string {
  if (end === null) return role
  return `${role} (${end <= nowMs ? 'invitation expired' : 'invited'})`
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
      call.context.stdout(`budgets ${whose}: ${budgetCell(member.budgets).join('; ')}\n`)
      call.context.stdout(`rate limits ${whose}: ${limitCell(member)}\n`)
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

function accountOf({ positionals: [id = ''] }: CommandCall): string {
  return readTyped('The account', idKind, id)
}

async function* pages<Row>(rows: readonly Row[]) {
  yield rows
}
