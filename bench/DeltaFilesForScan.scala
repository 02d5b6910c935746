// What Delta itself takes to find the files of a scan: for bench/run.sh --delta.
//
//   DeltaFilesForScan TABLE RUNS
//
// prints "cold MS", the log still to be read, and "warm MS", with the snapshot at
// hand: medians, after two runs of each that warm the JVM up.  Compile and run it
// with the jars of Spark and Delta in the class path; bench/run.sh takes any
// program that is called this way and prints these two lines.
package org.apache.spark.sql.delta

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.expr

object DeltaFilesForScan {
  val read = "long_1 > 5 AND double_2 < 3"

  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[1]").appName("files for scan")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
      .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.shuffle.partitions", "1")
      .config("spark.databricks.delta.snapshotPartitions", "1")
      .getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    val path = new Path(args(0))
    val runs = args(1).toInt
    val condition = spark.read.format("delta").load(args(0)).where(expr(read)).queryExecution.analyzed
      .collectFirst { case f: org.apache.spark.sql.catalyst.plans.logical.Filter => f.condition }.get

    def median(once: => Unit): Double = {
      val took = (0 until runs + 2).map { _ =>
        val started = System.nanoTime(); once; (System.nanoTime() - started) / 1e6
      }.drop(2).sorted
      took(took.length / 2)
    }
    val cold = median {
      DeltaLog.clearCache()
      DeltaLog.forTable(spark, path).update().filesForScan(Seq(condition))
    }
    val snapshot = DeltaLog.forTable(spark, path).update()
    val warm = median { snapshot.filesForScan(Seq(condition)) }
    println(f"cold $cold%.1f")
    println(f"warm $warm%.1f")
    spark.stop()
  }
}
