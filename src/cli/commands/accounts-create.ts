import { newAccountDefinition } from '../../accounts/definition/account.ts'
import { newId } from '../../core/id.ts'
import { dollarText } from '../../core/money/money.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import type { Command } from '../command.ts'
import { yes } from '../confirm.ts'
import { confirmLarge } from '../confirm-large.ts'
import { readSome, someOptions } from '../defined-options.ts'
import { readIdempotencyKey } from '../gateway/idempotency.ts'
import { idempotencyOption } from '../gateway/remote-options.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { readTyped } from '../read-typed.ts'

const optionFields = without(newAccountDefinition, ['id'])

export const accountsCreate: Command = {
  name: 'accounts create',
  summary: 'Create an account.',
  example: 'acme --name "Acme Robotics" --credit 25',
  positionals: ['ID'],
  options: {
    ...someOptions(optionFields),
    name: { kind: 'text', placeholder: 'TEXT', description: 'Display name. Default: the id.' },
    ...idempotencyOption,
    yes,
  },
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', newAccountDefinition.fields.id.kind, typed)
    const { name = id, creditNano, ...others } = readSome(optionFields, call)
    const amountNano = creditNano ?? 0n
    const { idempotencyKey } = readIdempotencyKey(call, () => newId('req', call.context.random))
    const body = newWireOf(newAccountDefinition, { ...others, id, name, creditNano: amountNano })
    return withGateway(call, async (gateway) => {
      await confirmLarge(call, id, (query) =>
        gateway.call('POST /operate/accounts', { query, body, idempotencyKey }),
      )
      call.context.stdout(`account ${id} created with ${dollarText(amountNano)} of credit\n`)
      return 0
    })
  },
}
