import { Alert, Badge, Box, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { featureText, featureUnit } from '../../../../src/console-api/contract/figures.ts'
import {
  type FeatureName,
  featureNames,
  type ModelDetail,
  type PriceVersion,
} from '../../../../src/console-api/contract.ts'
import { formatMoment } from '../../format/times.ts'
import { IconPlus } from '../../icons/icons.ts'
import { Money } from '../../parts/values/money.tsx'
import { NewPriceForm } from './new-price-form.tsx'
import { priceNames, tierNames } from './price-values.ts'

export function PriceVersions({ model }: { model: ModelDetail }) {
  const { t } = useTranslation()
  const [isNew, setNew] = useState(false)
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('prices.about')}
      </Text>
      {model.price === null && <Alert color="orange">{t('prices.none')}</Alert>}
      {isNew ? (
        <NewPriceForm model={model} onClose={() => setNew(false)} />
      ) : (
        <Button
          variant="light"
          leftSection={<IconPlus size={16} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setNew(true)}
        >
          {t('prices.new')}
        </Button>
      )}
      {model.versions.map((version) => (
        <Version key={version.id} version={version} />
      ))}
    </Stack>
  )
}

const colors: Readonly<Record<PriceVersion['state'], string>> = {
  past: 'gray',
  'in-force': 'teal',
  planned: 'blue',
}

function Version({ version }: { version: PriceVersion }) {
  const { t, i18n } = useTranslation()
  return (
    <Paper withBorder p="sm" component="article">
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" fw={500}>
          {version.validFrom === 0
            ? t('prices.always')
            : t('prices.since', { time: formatMoment(version.validFrom, i18n.language) })}
        </Text>
        <Badge color={colors[version.state]}>{t(`prices.state.${version.state}`)}</Badge>
      </Group>
      <SimpleGrid cols={{ base: 2, xs: 3 }} verticalSpacing={6}>
        {priceNames.map((name) => (
          <TokenPrice key={name} name={name} nano={version.price[name]} />
        ))}
        {featureNames.map((feature) => (
          <FeaturePrice key={feature} feature={feature} price={version.price.features?.[feature]} />
        ))}
      </SimpleGrid>
      {version.price.longPrompts?.map((step) => (
        <Box key={step.aboveTokens} mt="sm">
          <Text size="sm" fw={600} mb={4}>
            {t('models.longPrompt', { count: step.aboveTokens })}
          </Text>
          <SimpleGrid cols={{ base: 2, xs: 3 }} verticalSpacing={6}>
            {tierNames.map((name) => (
              <TokenPrice key={name} name={name} nano={step[name]} />
            ))}
          </SimpleGrid>
        </Box>
      ))}
    </Paper>
  )
}

function TokenPrice({ name, nano }: { name: (typeof priceNames)[number]; nano: string }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text size="xs" c="dimmed">
        {t(`prices.${name}`)}
      </Text>
      <Text size="sm" component="div">
        <Money nano={nano} />
      </Text>
    </div>
  )
}

/** Renders nothing for a feature without a price. */
function FeaturePrice(props: { feature: FeatureName; price: string | null | undefined }) {
  const { t } = useTranslation()
  const { feature, price = null } = props
  if (price === null) return null
  const unit = featureUnit(feature)
  const isFactor = unit === 'factor'
  const name = t(`feature.${feature}`)
  return (
    <div>
      <Text size="xs" c="dimmed">
        {isFactor ? name : `${name} · ${t(`prices.unit.${unit}`)}`}
      </Text>
      <Text size="sm" component="div">
        {isFactor ? (
          t('prices.times', { factor: featureText(feature, price) })
        ) : (
          <Money nano={price} />
        )}
      </Text>
    </div>
  )
}
