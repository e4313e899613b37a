/** For tests: a service that gives back what it is sent. */
export { type Items, mirrorService } from './test-service.ts'
