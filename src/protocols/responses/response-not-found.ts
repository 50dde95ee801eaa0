import { Fault } from '../../core/fault.ts'

/** The refusal of a `previous_response_id` that the gateway has not stored, in the words that clients know. */
export function responseNotFound(id: string): Fault {
  return new Fault(
    'previous_response_not_found',
    `The previous response ${JSON.stringify(id)} is not stored here. Send the whole conversation in "input".`,
    { param: 'previous_response_id' },
  )
}
