import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { featureUnit } from '../../../src/console-api/contract/figures.ts'
import type { FeatureName } from '../../../src/console-api/contract.ts'

/** The unit of a feature that is not priced per million tokens, as the head of the table says. */
export function FeatureUnit({ feature }: { feature: FeatureName }) {
  const { t } = useTranslation()
  const unit = featureUnit(feature)
  if (unit === 'tokens') return null
  return (
    <Text size="xs" c="dimmed">
      {t(`models.unit.${unit}`)}
    </Text>
  )
}
