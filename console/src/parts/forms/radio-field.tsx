import { Radio, type RadioGroupProps, type RadioProps, Stack } from '@mantine/core'
import { memoized } from './memoized.tsx'

interface RadioFieldProps extends Omit<RadioGroupProps, 'children'> {
  readonly choices: readonly Pick<RadioProps, 'value' | 'label' | 'description' | 'disabled'>[]
}

/** One of a few choices, all of them visible. */
export const RadioField = memoized(({ choices, ...props }: RadioFieldProps) => (
  <Radio.Group {...props}>
    <Stack gap="xs" mt="xs">
      {choices.map((choice) => (
        <Radio key={String(choice.value)} {...choice} />
      ))}
    </Stack>
  </Radio.Group>
))
