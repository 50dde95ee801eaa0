import { newMemberDefinition } from '../../accounts/definition/member.ts'
import { CommandProblem } from '../../app/command-problem.ts'
import { alignColumns } from '../../config/align-columns.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import { emailKind, idKind } from '../../fields/kinds.ts'
import type { Command, CommandCall } from '../command.ts'
import { readSome, someOptions } from '../defined-options.ts'
import { type GatewayClient, GatewayRefusal, rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { listAddresses } from '../list-addresses.ts'
import { membersOf } from '../members-of.ts'
import { noAccount } from '../not-found.ts'
import { reachableUrl } from '../reachable-url.ts'
import { readGivenFile } from '../read-given-file.ts'
import { readTyped } from '../read-typed.ts'
import { UsageProblem } from '../usage-problem.ts'
import { reachableLink, welcomeLines } from '../welcome-lines.ts'

const newOptions = without(newMemberDefinition, ['email'])

export const membersAdd: Command = {
  name: 'members add',
  summary:
    'Add a person, or all addresses in a file, to an account. A new person gets a link, which is shown once.',
  example: 'acme ann@example.com --role member',
  positionals: ['ACCOUNT', '[EMAIL]'],
  options: {
    ...someOptions(newOptions),
    file: {
      kind: 'text',
      placeholder: 'FILE',
      description:
        'Instead of EMAIL: addresses, separated by lines, spaces, commas or semicolons, also with names as in "Ann Lee <ann@example.com>"; - reads standard input. Members and invited people stay as they are, so the command can be repeated.',
    },
  },
  run: async (call) => {
    const accountId = readTyped('The account', idKind, call.positionals[0] ?? '')
    const { role = 'member', ...limits } = readSome(newOptions, call)
    const emails = await readEmails(call)
    const gatewayUrl = reachableUrl(call)
    return withGateway(call, async (gateway) => {
      const add = (email: string) => addOne(gateway, accountId, { ...limits, email, role })
      if (call.text('file') !== undefined) {
        const stays = whyStays(gateway, accountId, call.context.nowMs())
        const link = linkOf(gatewayUrl)
        await addAll(call, emails, async (email) => (await stays(email)) ?? link(await add(email)))
        return 0
      }
      for (const email of emails) {
        const { member, made, isMailed } = await add(email)
        call.context.stdout(`${email} is a member of ${accountId} with the role ${member.role}\n`)
        call.context.stdout(welcomeLines({ gatewayUrl, made, isMailed }))
      }
      return 0
    })
  },
}

/** All addresses are valid, or nobody is added. */
async function readEmails(call: CommandCall): Promise<readonly string[]> {
  const file = call.text('file')
  const email = call.positionals[1]
  if ((file === undefined) === (email === undefined)) {
    throw new UsageProblem('"tollgate members add" needs EMAIL or --file; see --help.')
  }
  if (file === undefined) return [readTyped('The email', emailKind, email ?? '')]
  const typed = await readGivenFile(call.context, '--file', file)
  const words = listAddresses(typed)
  if (words.length === 0) throw new UsageProblem('The file of --file has no email addresses.')
  return [...new Set(words.map((word) => readTyped('Each word of --file', emailKind, word)))]
}

async function addOne(
  gateway: GatewayClient,
  id: string,
  given: Parameters<typeof newWireOf<typeof newMemberDefinition>>[1],
) {
  const { member, signInUrl, invitationUrl, isMailed } = await gateway
    .call('POST /accounts/{id}/members', {
      id,
      body: newWireOf(newMemberDefinition, given),
      ifLost: `It is not known whether the person was added; see "tollgate members list ${id}".`,
    })
    .catch(rewordRefusal({ not_found: noAccount(id) }))
  return { member, made: signInUrl ?? invitationUrl, isMailed }
}

function linkOf(gatewayUrl: string) {
  return ({ made }: { readonly made: string | null }): string =>
    made === null ? 'added; has a login already' : reachableLink(gatewayUrl, made)
}

/**
 * Why an address is not added, by the members before the first one is. A repeated invitation would end the password and
 * the sessions of a person who has accepted the first one.
 */
function whyStays(gateway: GatewayClient, accountId: string, nowMs: number) {
  let asked: ReturnType<typeof membersOf> | undefined
  return async (email: string): Promise<string | undefined> => {
    asked ??= membersOf(gateway, accountId)
    const member = (await asked).find((each) => each.email === email)
    if (!member) return undefined
    const { invitationEndsAt: endMs } = member
    if (endMs === null) return isMember
    if (endMs <= nowMs) return undefined
    return `is invited already; for a new link: tollgate members add ${accountId} ${email}`
  }
}

const isMember = 'is a member already'

/** One line for each person, written at once: a link is shown only once. */
async function addAll(
  { context }: CommandCall,
  emails: readonly string[],
  add: (email: string) => Promise<string>,
): Promise<void> {
  const widths = [Math.max(...emails.map((email) => email.length))]
  for (const email of emails) {
    const result = await add(email).catch((error: unknown) => {
      if (error instanceof GatewayRefusal && error.detail === 'member_already') return isMember
      throw error instanceof CommandProblem
        ? new CommandProblem(`${email}: ${error.message}`, { cause: error })
        : error
    })
    context.stdout(`${alignColumns([[email, result]], widths).join('\n')}\n`)
  }
}
