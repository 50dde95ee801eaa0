import { Fieldset, SimpleGrid, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { featureKind, priceDefinition } from '../../../../src/catalog/definition/price.ts'
import { featureUnit } from '../../../../src/console-api/contract/figures.ts'
import {
  type FeatureName,
  featureNames,
  type TokenPrices,
} from '../../../../src/console-api/contract.ts'
import { TextInput } from '../../parts/forms/inputs.tsx'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { type PriceValues, priceNames } from './price-values.ts'

export function PriceFields(props: {
  inputProps: (name: keyof TokenPrices) => GetInputPropsReturnType
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

/** Features that are not billed at the plain token price. */
export function FeatureFields(props: {
  inputProps: (name: FeatureName) => GetInputPropsReturnType
}) {
  const { t } = useTranslation()
  return (
    <Fieldset legend={t('prices.features')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('prices.featuresHint')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="xs">
        {featureNames.map((feature) => (
          <TextInput
            key={feature}
            label={t(`feature.${feature}`)}
            description={t(`prices.unit.${featureUnit(feature)}`)}
            leftSection={featureUnit(feature) === 'factor' ? '×' : '$'}
            inputMode="decimal"
            {...props.inputProps(feature)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}

type PriceRules = Record<keyof PriceValues, (text: string) => string | null>

/** Validation rules per field. */
export function usePriceRules(): PriceRules {
  const rules = useFieldRules()
  const feature = (name: FeatureName) => {
    const rule = rules.ifAny(rules.written(featureKind(name)))
    return (text: string) => rule(text.trim())
  }
  return Object.fromEntries([
    ...priceNames.map((name) => [name, rules.written(priceDefinition.fields[name].kind)]),
    ...featureNames.map((name) => [name, feature(name)]),
  ]) as PriceRules
}
