import type { Command, CommandCall } from '../command.ts'
import { rewordRefusal } from '../gateway/gateway-client.ts'
import { noKey } from '../not-found.ts'
import { withId } from '../with-id.ts'

export const keysDisable: Command = {
  name: 'keys disable',
  summary: 'Disable a key; running gateways follow within a second.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchKey(call, false),
}

export const keysEnable: Command = {
  name: 'keys enable',
  summary: 'Enable a disabled key.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchKey(call, true),
}

function switchKey(call: CommandCall, isEnabled: boolean): Promise<number> {
  const word = isEnabled ? 'enabled' : 'disabled'
  return withId(call, async (gateway, id) => {
    const explain = rewordRefusal({ not_found: noKey(id) })
    const before = await gateway.call('GET /keys/{id}', { id }).catch(explain)
    const isSo = before.isEnabled === isEnabled
    if (!isSo) await gateway.call('PATCH /keys/{id}', { id, body: { isEnabled } }).catch(explain)
    call.context.stdout(`key ${id} ${isSo ? `was already ${word}` : `is ${word}`}\n`)
    return 0
  })
}
