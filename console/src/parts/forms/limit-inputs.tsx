import { Divider, type NumberInputProps, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limitKind, limitNames } from '../../../../src/fields/limit-fields.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { NumberInput } from './inputs.tsx'
import { numberLimits } from './number-limits.ts'

type LimitName = (typeof limitNames)[number]
/** Rate limits as a form holds them: an empty input means no limit. */
export type LimitEntries = Readonly<Record<LimitName, number | ''>>
type Limits = Readonly<Record<LimitName, number | null>>

export function limitEntries(limits: Limits | undefined): LimitEntries {
  return {
    requestsPerMinute: limits?.requestsPerMinute ?? '',
    tokensPerMinute: limits?.tokensPerMinute ?? '',
    concurrentRequests: limits?.concurrentRequests ?? '',
  }
}

export function limitsOfEntries(entries: LimitEntries): Limits {
  const limit = (name: LimitName) => (entries[name] === '' ? null : entries[name])
  return {
    requestsPerMinute: limit('requestsPerMinute'),
    tokensPerMinute: limit('tokensPerMinute'),
    concurrentRequests: limit('concurrentRequests'),
  }
}

interface LimitInputsProps {
  readonly inputProps: (name: LimitName) => NumberInputProps
  /** Names the resource for screen readers, where a form has several of them. */
  readonly of?: string
  /** What the limits apply to, below a title. */
  readonly hint?: string
}

/** The three rate limits of a resource. */
export function LimitInputs({ inputProps, of, hint }: LimitInputsProps) {
  const { t } = useTranslation()
  const fieldText = useFieldText()
  const inputs = (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md" className="field-grid">
      {limitNames.map((name) => (
        <NumberInput
          key={name}
          label={fieldText(name)}
          {...(of === undefined
            ? {}
            : { 'aria-label': t('error.inField', { field: fieldText(name), message: of }) })}
          {...numberLimits(limitKind)}
          allowDecimal={false}
          placeholder={t('limits.none')}
          {...inputProps(name)}
        />
      ))}
    </SimpleGrid>
  )
  if (hint === undefined) return inputs
  return (
    <Stack gap="xs">
      <Divider label={t('section.rateLimits')} labelPosition="left" />
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
      {inputs}
    </Stack>
  )
}
