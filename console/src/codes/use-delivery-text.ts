import { readDeliveryText } from '../../../src/console-api/contract.ts'
import { useKnownText } from './use-known-text.ts'

/** Why a message was not delivered. The words of another server stay as they are. */
export function useDeliveryText(): (text: string) => string {
  const knownText = useKnownText()
  return (text) => {
    const found = readDeliveryText(text)
    return found ? (knownText(`delivery.${found.problem}`, found.values) ?? text) : text
  }
}
