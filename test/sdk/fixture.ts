import { type KeyName, viaModel } from '../support/gateway/test-provision.ts'
import { type ScriptedGateway, withScriptedGateway } from './scripted-gateway.ts'
import type { Script } from './scripts/answer.ts'
import type { Connection, Question, Sdk } from './sdk.ts'

/** An SDK that talks to a gateway with a scripted upstream behind it. */
export interface Fixture extends ScriptedGateway {
  readonly sdk: Sdk
  connect(key?: KeyName): Connection
}

export const prompt = 'How is the weather in Rome?'

export function ask(script: Script, more: Partial<Question> = {}): Question {
  return { model: viaModel(script.protocol), prompt, ...more }
}

export function openFixture(sdk: Sdk): Fixture {
  const scripted = withScriptedGateway()
  const { gateway } = scripted
  const connect = (key: KeyName = 'any') => sdk.connect(gateway().url, gateway().keys[key])
  return { ...scripted, sdk, connect }
}
