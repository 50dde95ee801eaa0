import { idKind } from '../../fields/kinds.ts'
import type { CommandCall } from '../command.ts'
import { readOption } from '../read-typed.ts'

/**
 * The key with which a command that moves money is carried out once. On this machine there is no connection to be lost,
 * so there one is used only when it was given. `number` is the key, or a number of the command's own in its place.
 */
export function readIdempotencyKey(
  call: CommandCall,
  make: () => string,
): { readonly number: string; readonly idempotencyKey: string | undefined } {
  const given = readOption(call, 'idempotency-key', idKind)
  const number = given ?? make()
  return { number, idempotencyKey: call.remote ? number : given }
}
