import { describeMalformed } from './scenarios/malformed.js'

describeMalformed({ step: 8, lies: 5 })
