import { consoleRoles } from '../../accounts/definition/user.ts'
import { enumKind } from '../../fields/kind.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLast } from '../confirm-last.ts'
import { withUser } from '../find-user.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { reachableUrl } from '../reachable-url.ts'
import { readTyped } from '../read-typed.ts'
import { welcomeLines } from '../welcome-lines.ts'

const positionals = ['EMAIL|ID'] as const
const roleKind = enumKind(consoleRoles)
const repeatable = 'It is safe to repeat the command.'

export const usersSuspend: Command = {
  name: 'users suspend',
  summary:
    'Keep a user from signing in, end all sessions of the user, and refuse the keys of the user until "users resume".',
  example: 'ann@example.com',
  positionals,
  options: { yes },
  run: (call) => switchUser(call, true),
}

export const usersResume: Command = {
  name: 'users resume',
  summary: 'Let a suspended user sign in again, and accept the keys of the user.',
  example: 'ann@example.com',
  positionals,
  options: {},
  run: (call) => switchUser(call, false),
}

function switchUser(call: CommandCall, isSuspended: boolean): Promise<number> {
  const word = isSuspended ? 'suspended' : 'active'
  return withUser(call, async (gateway, { id, email, isSuspended: was }) => {
    const isSo = was === isSuspended
    const body = { isSuspended }
    const change = (query: object) => gateway.call('PATCH /operate/users/{id}', { id, body, query })
    if (!isSo) await confirmLast(call, change)
    call.context.stdout(`user ${email} ${isSo ? `was already ${word}` : `is ${word}`}\n`)
    return 0
  })
}

export const usersRole: Command = {
  name: 'users role',
  summary: 'Change the role of a user: admin operates the whole gateway, member does not.',
  example: 'ann@example.com admin',
  positionals: [...positionals, 'ROLE'],
  options: { yes },
  run: (call) => {
    const role = readTyped('The role', roleKind, call.positionals[1] ?? '')
    return withUser(call, async (gateway, { id, email }) => {
      const body = { role }
      await confirmLast(call, (query) =>
        gateway.call('PATCH /operate/users/{id}', { id, body, query }),
      )
      call.context.stdout(`user ${email} has the role ${role}\n`)
      return 0
    })
  },
}

export const usersVerify: Command = {
  name: 'users verify',
  summary:
    'Confirm that an invited user has the email address. Removes the password, second factors and sessions that the user has set up, and shows a sign-in link once.',
  example: 'ann@example.com',
  positionals,
  options: { yes },
  run: async (call) => {
    const gatewayUrl = reachableUrl(call)
    await confirm(call, `This clears password, second factors and sessions of ${nameOf(call)}`)
    return withUser(call, async (gateway, { id, email }) => {
      const { user, signInUrl, isMailed } = await gateway
        .call('POST /operate/users/{id}/vouch', {
          id,
          ifLost: 'It is not known whether the user is verified; see "tollgate users list".',
        })
        .catch(
          rewordRefusal({ login_proven: `The email of the user "${email}" is already verified.` }),
        )
      const how = user.id === id ? '' : `; the memberships belong to the user ${user.id} now`
      call.context.stdout(`user ${email} is verified${how}\n`)
      call.context.stdout(welcomeLines({ gatewayUrl, made: signInUrl, isMailed }))
      return 0
    })
  },
}

export const usersReset: Command = {
  name: 'users reset-factors',
  summary: 'Remove the authenticator app and all passkeys of a user who has lost them.',
  example: 'ann@example.com',
  positionals,
  options: { yes },
  run: async (call) => {
    await confirm(call, `This removes the authenticator app and all passkeys of ${nameOf(call)}`)
    return withUser(call, async (gateway, { id, email, hasTotp, passkeys }) => {
      const lost = { id, ifLost: repeatable }
      if (hasTotp) await gateway.call('POST /operate/users/{id}/totp/remove', lost)
      if (passkeys > 0) await gateway.call('POST /operate/users/{id}/passkeys/remove', lost)
      call.context.stdout(`user ${email} has no authenticator app and no passkey\n`)
      return 0
    })
  },
}

export const usersUnlink: Command = {
  name: 'users unlink',
  summary:
    'Unlink a user from the identity provider, for example after a change of openIdIssuer. The next sign-in there with the same email links the user again.',
  example: 'ann@example.com',
  positionals,
  options: { yes },
  run: async (call) => {
    await confirm(
      call,
      `This ends the sessions of ${nameOf(call)}, and the values of the user's keys can no longer be shown`,
    )
    return withUser(call, async (gateway, { id, email, hasOpenId }) => {
      const lost = { id, ifLost: repeatable }
      if (hasOpenId) await gateway.call('POST /operate/users/{id}/open-id/remove', lost)
      const word = hasOpenId ? 'is no longer linked' : 'was not linked'
      call.context.stdout(`user ${email} ${word} to the identity provider\n`)
      return 0
    })
  },
}

export const usersDelete: Command = {
  name: 'users delete',
  summary: 'Delete a user. The keys of the user stop at once; their usage stays in the log.',
  example: 'ann@example.com',
  positionals,
  options: { yes },
  run: async (call) => {
    await confirm(call, `This deletes the user ${nameOf(call)} and stops the user's keys for good`)
    return withUser(call, async (gateway, { id, email }) => {
      await confirmLast(call, (query) => gateway.call('DELETE /operate/users/{id}', { id, query }))
      call.context.stdout(`user ${email} is deleted\n`)
      return 0
    })
  },
}

function nameOf({ positionals: [typed = ''] }: CommandCall): string {
  return typed
}
