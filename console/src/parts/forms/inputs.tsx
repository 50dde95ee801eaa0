import {
  type NumberInputProps,
  Checkbox as PlainCheckbox,
  NumberInput as PlainNumberInput,
  SegmentedControl as PlainSegmentedControl,
  Switch as PlainSwitch,
  TagsInput as PlainTagsInput,
  Textarea as PlainTextarea,
  TextInput as PlainTextInput,
} from '@mantine/core'
import { steady } from './steady.tsx'

/** The inputs of forms. Each renders only if it changes itself, not for every key that is pressed in its form. */
export const Checkbox = steady(PlainCheckbox)
export const NumberInput = steady<NumberInputProps>(PlainNumberInput)
export const SegmentedControl = steady(PlainSegmentedControl)
export const Switch = steady(PlainSwitch)
export const TagsInput = steady(PlainTagsInput)
export const Textarea = steady(PlainTextarea)
export const TextInput = steady(PlainTextInput)
