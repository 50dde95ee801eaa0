import { idKind } from '../../fields/kinds.ts'
import type { Command, CommandCall } from '../command.ts'
import { saying } from '../gateway/gateway-client.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noKey } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'

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
  const [typed = ''] = call.positionals
  const id = readTyped('The id', idKind, typed)
  const word = isEnabled ? 'enabled' : 'disabled'
  const explain = saying({ not_found: noKey(id) })
  return withGateway(call, async (gateway) => {
    const before = await gateway.call('GET /keys/{id}', { id }).catch(explain)
    const isSo = before.isEnabled === isEnabled
    if (!isSo) await gateway.call('PATCH /keys/{id}', { id, body: { isEnabled } }).catch(explain)
    call.world.stdout(`key ${id} ${isSo ? `was ${word} already` : `is ${word}`}\n`)
    return 0
  })
}
