import {
  type NumberInputProps,
  NumberInput as PlainNumberInput,
  Switch as PlainSwitch,
  TextInput as PlainTextInput,
} from '@mantine/core'
import { memoized } from './memoized.tsx'

/**
 * The inputs that most forms have. Each renders only if it changes itself, not for every key that is pressed in its
 * form. A rare input is not listed here, because every page with a form would load it.
 */
export const NumberInput = memoized<NumberInputProps>(PlainNumberInput)
export const Switch = memoized(PlainSwitch)
export const TextInput = memoized(PlainTextInput)
