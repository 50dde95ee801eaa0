import type { Fault } from '../../core/fault.ts'
import { openaiFaultBody } from '../openai-fault-body.ts'

export const encodeFault = openaiFaultBody

export function encodeFaultEvent(fault: Fault): string {
  const body = { type: 'error', ...openaiFaultBody(fault) }
  return `event: error\ndata: ${JSON.stringify(body)}\n\n`
}
