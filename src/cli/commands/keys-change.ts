import { alignColumns } from '../../config/align-columns.ts'
import { newWireOf, without } from '../../fields/definition.ts'
import { keyDefinition } from '../../keys/definition/key.ts'
import type { Command } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { givenOptions, readChanges, someOptions } from '../defined-options.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noKey } from '../not-found.ts'
import { withId } from '../with-id.ts'

const changeable = without(keyDefinition, ['accountId', 'ownerId'])

export const keysUpdate: Command = {
  name: 'keys update',
  summary:
    'Change the settings of a key. Settings that are not given stay unchanged; "none" removes a limit.',
  example: 'laptop --quota 10 --daily none',
  positionals: ['ID'],
  options: someOptions(changeable),
  run: (call) => {
    const body = newWireOf(changeable, readChanges(changeable, 'keys update', call))
    return withId(call, async (gateway, id) => {
      await gateway.call('PATCH /keys/{id}', { id, body }).catch(
        rewordRefusal({
          not_found: noKey(id),
          group_unknown: ({ id: group }) => `There is no group "${group}".`,
          expiry_past: '--expires must be in the future.',
        }),
      )
      call.context.stdout(`key ${id} changed: ${givenOptions(changeable, call)}\n`)
      return 0
    })
  },
}

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Give a key a new value and show it. The old value stops working at once.',
  positionals: ['ID'],
  options: { yes },
  run: async (call) => {
    await confirm(call, `This invalidates the current value of the key ${call.positionals[0]}`)
    return withId(call, async (gateway, id) => {
      const { value } = await gateway
        .call('POST /keys/{id}/rotate', {
          id,
          ifLost: `It is not known whether the key has a new value; "tollgate keys reveal ${id}" shows the current one.`,
        })
        .catch(rewordRefusal({ not_found: noKey(id) }))
      const columns = [
        ['id', id],
        ['value', value],
      ]
      call.context.stdout(`${alignColumns(columns).join('\n')}\n`)
      return 0
    })
  },
}

export const keysDelete: Command = {
  name: 'keys delete',
  summary: 'Delete a key. Its usage stays in the log and in the statement.',
  positionals: ['ID'],
  options: { yes },
  run: async (call) => {
    await confirm(call, `This deletes the key ${call.positionals[0]} for good`)
    return withId(call, async (gateway, id) => {
      await gateway.call('DELETE /keys/{id}', { id }).catch(rewordRefusal({ not_found: noKey(id) }))
      call.context.stdout(`key ${id} is deleted\n`)
      return 0
    })
  },
}
