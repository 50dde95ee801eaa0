import { newUserDefinition } from '../../accounts/definition/user.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import { emailKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import { readSome, someOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { reachableUrl } from '../reachable-url.ts'
import { readTyped } from '../read-typed.ts'
import { welcomeLines } from '../welcome-lines.ts'

const options = without(newUserDefinition, ['email'])

export const usersCreate: Command = {
  name: 'users create',
  summary:
    'Create a user without accounts, such as another administrator. The link is shown once. For a member of an account: members add.',
  example: 'ann@example.com --role admin',
  positionals: ['EMAIL'],
  options: someOptions(options),
  run: (call) => {
    const email = readTyped('The email', emailKind, call.positionals[0] ?? '')
    const body = newWireOf(newUserDefinition, { ...readSome(options, call), email })
    const gatewayUrl = reachableUrl(call)
    return withGateway(call, async (gateway) => {
      const { user, signInUrl, isMailed } = await gateway
        .call('POST /operate/users', {
          body,
          ifLost: `It is not known whether the user was created; see "tollgate users list --search ${email}".`,
        })
        .catch(rewordRefusal({ email_taken: `The user "${email}" already exists.` }))
      call.context.stdout(`user ${user.id} ${email} created with the role ${user.role}\n`)
      call.context.stdout(welcomeLines({ gatewayUrl, made: signInUrl, isMailed }))
      return 0
    })
  },
}
