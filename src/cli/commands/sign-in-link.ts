import { addSignInLink } from '../../accounts/sign-in-link.ts'
import { firstAdmin } from '../../accounts/user-store.ts'
import { emailKind } from '../../fields/kinds.ts'
import { newestTime } from '../../ledger/newest-time.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { findUrl } from '../../serve/last-url.ts'
import { signInUrl } from '../../serve/sign-in-url.ts'
import { recordAudit } from '../../store/audit.ts'
import { type Writing, write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { readTyped } from '../read-typed.ts'
import { UsageProblem } from '../usage-problem.ts'
import { withDatabase } from '../with-database.ts'

export const signInLink: Command = {
  name: 'sign-in-link',
  summary:
    'Print a link that signs a user in to the console once, within the hour; an administrator when no email is given.',
  positionals: ['[EMAIL]'],
  options: {},
  run: async (call) => {
    const [typed] = call.positionals
    const email = typed === undefined ? undefined : readTyped('The email', emailKind, typed)
    const url = findUrl(call.config)
    if (url === undefined) {
      throw new UsageProblem(
        'With port 0 the address of the gateway is not known here; say it with --listen.',
      )
    }
    const token = await mintLink(call, email)
    call.world.stdout(`${signInUrl(url, token)}\n`)
    return 0
  },
}

function mintLink(call: CommandCall, email: string | undefined): Promise<string> {
  const { random, nowMs } = call.world
  return withDatabase(call, async ({ engine, vault }) => {
    // A gateway whose time is ahead of this machine's clock must not take the link for an old one.
    const at = Math.max(nowMs(), await newestTime(engine))
    return write(engine, at, async (writing) => {
      const userId = await findUser(writing, email)
      await recordAudit(writing, {
        at,
        actor: cliActor,
        action: 'user.sign-in-link-made',
        subject: userId,
      })
      return addSignInLink(writing.tx, { userId, vault, random, nowMs: at })
    })
  })
}

async function findUser({ tx }: Writing, email: string | undefined): Promise<string> {
  if (email === undefined) {
    const admin = await firstAdmin(tx)
    if (admin) return admin.id
    throw new CommandProblem(
      'There is no administrator yet; start the gateway once, or add one to provision.users and apply.',
    )
  }
  const user = await tx
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', email)
    .where('invited_to', 'is', null)
    .executeTakeFirst()
  if (user) return user.id
  const invited = await tx
    .selectFrom('console_user')
    .select('id')
    .where('invited_email', '=', email)
    .executeTakeFirst()
  if (invited) {
    throw new CommandProblem(
      `"${email}" was invited by the owner of an account, and nobody has proven that the address is theirs. Vouch for the user in the console, or add the address to provision.users and apply.`,
    )
  }
  throw new CommandProblem(`There is no user "${email}"; add it to provision.users and apply.`)
}
