import { ActionIcon, Alert, Button, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { aboveKind, priceDefinition } from '../../../../src/catalog/definition/price.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { IconPlus, IconTrash } from '../../icons/icons.ts'
import { NumberInput, TextInput } from '../../parts/forms/inputs.tsx'
import { numberLimits } from '../../parts/forms/number-limits.ts'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { nanoOf, type PriceValues, type TierValues, tierNames, tiersOf } from './price-values.ts'

interface StepFieldsProps {
  /** The base price. A new tier starts with a copy of it. */
  readonly price: PriceValues
  readonly steps: readonly TierValues[]
  readonly inputProps: (place: number, name: keyof TierValues) => GetInputPropsReturnType
  readonly onChange: (steps: TierValues[]) => void
}

/** Price tiers for long prompts. */
export function TierFields({ price, steps, inputProps, onChange }: StepFieldsProps) {
  const { t } = useTranslation()
  const isCheaper = steps.some((step) =>
    tierNames.some((name) => isLess(name, step[name], price[name])),
  )
  return (
    <Fieldset legend={t('prices.longPrompts')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('prices.longPromptsHint')}
      </Text>
      <Stack gap="md">
        {steps.map((_step, place) => (
          // Tiers have no id and are only appended.
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no id other than its position
          <Step key={place} place={place} inputProps={inputProps}>
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={26}
              aria-label={t('prices.removeStep', { place: place + 1 })}
              onClick={() => onChange(steps.filter((_each, index) => index !== place))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Step>
        ))}
        {isCheaper && <Alert color="orange">{t('prices.stepCheaper')}</Alert>}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...steps, { ...tokensOf(price), above: '' }])}
        >
          {t('prices.addStep')}
        </Button>
      </Stack>
    </Fieldset>
  )
}

function Step(props: {
  place: number
  inputProps: StepFieldsProps['inputProps']
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { place, inputProps } = props
  return (
    <Stack gap="xs" role="group" aria-label={t('prices.stepNumber', { place: place + 1 })}>
      <Group wrap="nowrap" align="flex-start" gap="xs">
        <NumberInput
          label={t('prices.above')}
          {...numberLimits(aboveKind)}
          allowDecimal={false}
          hideControls
          flex={1}
          {...inputProps(place, 'above')}
        />
        {props.children}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="xs">
        {tierNames.map((name) => (
          <TextInput
            key={name}
            label={t(`prices.${name}`)}
            leftSection="$"
            inputMode="decimal"
            {...inputProps(place, name)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function tokensOf(price: PriceValues): Omit<TierValues, 'above'> {
  const { inputNano, outputNano, cacheReadNano, cacheWrite5mNano, cacheWrite1hNano } = price
  return { inputNano, outputNano, cacheReadNano, cacheWrite5mNano, cacheWrite1hNano }
}

/** An incomplete amount is never reported as less. */
function isLess(name: (typeof tierNames)[number], one: string, other: string): boolean {
  const [oneNano, otherNano] = [nanoOf(name, one), nanoOf(name, other)]
  return oneNano !== undefined && otherNano !== undefined && BigInt(oneNano) < BigInt(otherNano)
}

interface WithSteps {
  readonly longPrompts: readonly TierValues[]
}

/** Validation rules per field of a tier. */
export function useTierRules() {
  const ruleText = useRuleText()
  const rules = useFieldRules()
  const { fields } = priceDefinition
  const amounts = tierNames.map((name) => [name, rules.written(fields[name].kind)] as const)
  return {
    above: (above: number | '', { longPrompts }: WithSteps) => {
      const own = findProblem(aboveKind.wire, above)
      const all = findProblem(fields.longPrompts.kind.wire, tiersOf(longPrompts))
      return ruleText(own ?? (all?.path.length === 0 ? all : undefined))
    },
    ...(Object.fromEntries(amounts) as Record<
      (typeof tierNames)[number],
      (typeof amounts)[number][1]
    >),
  }
}
