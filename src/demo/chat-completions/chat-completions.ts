import type { DemoProtocol } from '../demo-protocol.ts'
import { encodeOpenaiFault } from '../encode-openai-fault.ts'
import { encodeEvents } from './encode-events.ts'
import { encodeReply } from './encode-reply.ts'
import { readQuestion } from './read-question.ts'

export const chatCompletions: DemoProtocol = {
  readQuestion,
  encodeReply,
  encodeEvents,
  encodeFault: encodeOpenaiFault,
}
