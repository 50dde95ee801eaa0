import { CommandProblem } from '../../app/command-problem.ts'
import { signInUrl } from '../../app/start/sign-in-url.ts'
import type { UserRow } from '../../console-api/contract.ts'
import { emailKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import { usersOf, usersWithEmail } from '../find-user.ts'
import { type GatewayClient, rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { reachableUrl } from '../reachable-url.ts'
import { readTyped } from '../read-typed.ts'

export const signInLink: Command = {
  name: 'sign-in-link',
  summary:
    'Print a one-time sign-in link to the console, valid for an hour. Default: for an administrator.',
  example: 'ann@example.com',
  positionals: ['[EMAIL]'],
  options: {},
  run: async (call) => {
    const [typed] = call.positionals
    const email = typed === undefined ? undefined : readTyped('The email', emailKind, typed)
    const url = reachableUrl(call)
    return withGateway(call, async (gateway) => {
      const user = await (email === undefined ? firstAdmin(gateway) : findUser(gateway, email))
      const made = await gateway
        .call('POST /operate/users/{id}/sign-in-link', {
          id: user.id,
          ifLost: 'It is safe to repeat the command.',
        })
        .catch(
          rewordRefusal({
            login_suspended: `The user "${user.email}" is suspended; "tollgate users resume ${user.email}" ends the suspension.`,
          }),
        )
      // The gateway returns the host that received the request. People may use another one, so replace it.
      call.context.stdout(`${signInUrl(url, new URL(made.signInUrl).hash.slice(1))}\n`)
      return 0
    })
  },
}

/** The oldest administrator who can sign in. */
async function firstAdmin(gateway: GatewayClient): Promise<UserRow> {
  let first: UserRow | undefined
  for await (const user of usersOf(gateway)) {
    const isAdmin = user.role === 'admin' && user.proof !== null && !user.isSuspended
    if (isAdmin && (first === undefined || isBefore(user, first))) first = user
  }
  if (first) return first
  throw new CommandProblem(
    'There is no administrator yet; start the gateway once, or add one to provision.users and apply.',
  )
}

function isBefore(one: UserRow, other: UserRow): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id)
}

async function findUser(gateway: GatewayClient, email: string): Promise<UserRow> {
  const [user] = await usersWithEmail(gateway, email)
  if (user && user.proof !== null) return user
  if (user) {
    throw new CommandProblem(
      `"${email}" was invited by the owner of an account, and the address is not verified. Confirm it with "tollgate users verify ${email}".`,
    )
  }
  throw new CommandProblem(
    `There is no user "${email}"; create it with "tollgate users create ${email}".`,
  )
}
