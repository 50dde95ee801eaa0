import { idKind } from '../../fields/kinds.ts'
import type { CommandCall } from '../command.ts'
import { readOption } from '../read-typed.ts'

/**
 * The idempotency key of a command that moves money. On this machine no connection can be lost, so a local command uses
 * a key only if one was given. `number` is the key, or the command's own number instead.
 */
export function readIdempotencyKey(
  call: CommandCall,
  make: () => string,
): { readonly number: string; readonly idempotencyKey: string | undefined } {
  const given = readOption(call, 'idempotency-key', idKind)
  const number = given ?? make()
  return { number, idempotencyKey: call.remote ? number : given }
}
