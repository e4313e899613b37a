/**
 * `npm run provision:kafka`: creates the topics of the catalogue, and gives each service its rights
 * according to the catalogue.
 */
import { runKafkaProvision } from '@causeway/runtime'
import { topicAccess } from './access.ts'
import { topics } from './catalogue/catalogue.ts'

await runKafkaProvision({ topics, access: topicAccess })
