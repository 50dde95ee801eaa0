import { SimpleGrid, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { PriceTable } from '../../../../src/console-api/contract.ts'
import { amountProblem } from '../../../../src/console-api/rules.ts'
import { useRuleText } from '../../parts/use-rule-text.ts'
import { type PriceValues, priceNames } from './price-values.ts'

/** The six parts of a price, in US$ per million tokens and per request. */
export function PriceFields(props: {
  inputProps: (name: keyof PriceTable) => GetInputPropsReturnType
}) {
  const { t } = useTranslation()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="xs">
      {priceNames.map((name) => (
        <TextInput
          key={name}
          label={t(`prices.${name}`)}
          leftSection="$"
          inputMode="decimal"
          {...props.inputProps(name)}
        />
      ))}
    </SimpleGrid>
  )
}

/** The rules of each field, as forms want them. */
export function usePriceRules(): Record<keyof PriceValues, (text: string) => string | null> {
  const ruleText = useRuleText()
  const rule = (text: string) => ruleText(amountProblem(text))
  return {
    inputNano: rule,
    cacheReadNano: rule,
    cacheWrite5mNano: rule,
    cacheWrite1hNano: rule,
    outputNano: rule,
    requestNano: rule,
  }
}
